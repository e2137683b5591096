import json,subprocess,os,collections
rows=[l.rstrip('\n') for l in open('/var/tmp/s3/rev/rev2.d/w3.txt')]
f='/var/tmp/s3/rev/rev2.d/in3'; open(f,'w').writelines(r[2:]+'\n' for r in rows)
p=subprocess.run(['/var/tmp/s3/askline-risk','check','--shell','bash','--json','--lines',f],cwd='/var/tmp/s3/rev/rev2.d/empty',env=dict(os.environ,XDG_CACHE_HOME='/var/tmp/s3/rev/cache'),capture_output=True,text=True)
m=collections.Counter()
o=[]
for r,j in zip(rows,p.stdout.splitlines(),strict=True):
    k=json.loads(j)['risk']; m[r[0],k['label']]+=1
    if k['label'][0]!={'S':'S','C':'C'}[r[0]] or k['label']=='Confirm': o.append((k['label'],r[0],r[2:],k['cause']))
print(len(rows),dict(m))
for x in sorted(o): print(*x,sep=' | ')
